"""Phrases: what is read of the knowledge and what is made of it."""

import tempfile
import unittest
from pathlib import Path

from table_maker import phrases


class PhrasesTest(unittest.TestCase):
    def test_stars_are_spelled_out(self):
        self.assertEqual(phrases.spell_out(" AMZN*"), ["AMZN"])
        self.assertEqual(phrases.spell_out("DIRECTOR* LOAN*"), ["DIRECTOR LOAN", "DIRECTORS LOAN"])
        self.assertEqual(phrases.spell_out(" "), [])

    def test_every_file_of_the_knowledge_is_read(self):
        files = {
            "concepts.tsv": "# concept\nfuel\tEXPENSE\tmotor\tpetrol and diesel, charging\n",
            "patterns.txt": "# what lines say\n-fuel!: SHELL, FILLING STATION*\n",
            "patterns_more.txt": "fuel?: GARAGE\n",
            "accounts.txt": "fuel: fuel cost !heating; petrol / motor expense\n",
            "account_examples.tsv": "# name\ttype\tconcepts\nVan diesel\tEXPENSE\tfuel,motor\n",
            "sectors.txt": "[road_haulage]\ncontext: haulier, lorries\nsales: sales_services\nwords: TRAILER=fuel\n",
        }
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            known = [phrase for phrase in phrases.collect(Path(folder)) if phrase.kind != "generated"]
        found = {(phrase.text, phrase.kind, phrase.concept) for phrase in known}
        for wanted in (
            ("petrol and diesel, charging", "description", "fuel"),
            ("charging", "description", "fuel"),
            ("shell", "pattern", "fuel"),
            ("filling station", "pattern", "fuel"),
            ("garage", "pattern", "fuel"),
            ("fuel cost", "account", "fuel"),
            ("motor expense", "account", None),
            ("van diesel", "account", "fuel"),
            ("road haulage", "sector", None),
            ("lorries", "sector", None),
            ("trailer", "sector", None),
        ):
            self.assertIn(wanted, found)
        self.assertEqual(len({phrase.text for phrase in known}), len(known))

    def test_new_patterns_leave_generated_phrases_as_they_were(self):
        before = phrases.generate(["SHELL", "TESCO"], ["ANNA"])
        after = phrases.generate(["SHELL", "ARGOS", "TESCO"], ["ANNA"])
        self.assertLessEqual({phrase.text for phrase in before}, {phrase.text for phrase in after})
        self.assertEqual(before, phrases.generate(["TESCO", "SHELL"], ["ANNA"]))
        self.assertIn(phrases.Phrase("plumbing and heating", "generated"), before)

    def test_the_same_phrases_are_held_out_again(self):
        known = [phrases.Phrase(f"phrase {number}", "pattern") for number in range(50)]
        out = phrases.held_out(known, 10)
        self.assertEqual(sum(out), 10)
        backward = phrases.held_out(known[::-1], 10)
        self.assertEqual(backward[::-1], out)

    def test_what_is_made_of_a_held_out_phrase_is_not_seen_either(self):
        known = [
            phrases.Phrase("shell", "pattern"),
            phrases.Phrase("tesco", "pattern"),
            phrases.Phrase("shell leeds", "generated", made_of="shell"),
            phrases.Phrase("tesco leeds", "generated", made_of="tesco"),
        ]
        self.assertEqual(phrases.may_be_seen(known, [True, False, False, False]), [False, True, False, True])


if __name__ == "__main__":
    unittest.main()
