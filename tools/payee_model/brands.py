#!/usr/bin/env python3
"""Makes `brands.tsv` from the package name-suggestion-index (npm, BSD-3-Clause): brands that trade in Britain, each with the concept
of what it sells.

  brands.py PACKAGE/dist/json/nsi.json

Taken are brands that the index places in the United Kingdom by name; those it places everywhere are left out, for most of
them are not found here. Left out, too, are names of one ordinary English word (they would match anything) and kinds of places that
tell nothing of a purchase.
"""
import json
import os
import re
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
VOCABULARY = os.path.join(HERE, "..", "..", "src", "domain", "coding", "embedding", "vocab.txt")

KINDS = {
    "amenity": "bar:subsistence cafe:subsistence pub:subsistence restaurant:subsistence fast_food:subsistence ice_cream:subsistence "
    "food_court:subsistence fuel:fuel charging_station:ev_charging parking:parking car_rental:vehicle_hire car_sharing:vehicle_hire "
    "bicycle_rental:local_transport taxi:taxi pharmacy:personal_care dentist:medical_supplies car_wash:vehicle_repairs "
    "cinema:attractions theatre:attractions veterinary:vet_fees post_office:postage childcare:training language_school:training "
    "driving_school:training college:training training:training vehicle_inspection:mot",
    "shop": "clothes:clothes_shop shoes:clothes_shop fashion_accessories:clothes_shop bag:clothes_shop outdoor:clothes_shop "
    "car_repair:vehicle_repairs tyres:vehicle_repairs car_parts:vehicle_repairs motorcycle_repair:vehicle_repairs "
    "truck_repair:vehicle_repairs convenience:supermarket supermarket:supermarket bakery:supermarket butcher:supermarket "
    "greengrocer:supermarket frozen_food:supermarket deli:supermarket newsagent:supermarket health_food:supermarket "
    "confectionery:supermarket chocolate:supermarket pastry:supermarket cheese:supermarket tea:supermarket coffee:supermarket "
    "alcohol:supermarket wine:supermarket wholesale:supermarket furniture:furniture_shop bed:furniture_shop "
    "interior_decoration:furniture_shop houseware:furniture_shop carpet:furniture_shop kitchen:furniture_shop "
    "flooring:furniture_shop household_linen:furniture_shop jewelry:gifts watches:gifts gift:gifts florist:gifts "
    "cosmetics:personal_care perfumery:personal_care chemist:personal_care optician:personal_care hairdresser:personal_care "
    "beauty:personal_care massage:personal_care hearing_aids:personal_care department_store:general_store "
    "variety_store:general_store toys:general_store baby_goods:general_store catalogue:general_store trade:building_materials "
    "tiles:building_materials paint:building_materials electrical:building_materials bathroom_furnishing:building_materials "
    "doityourself:diy_store hardware:diy_store garden_centre:diy_store power_tools:small_tools tool_hire:plant_hire "
    "plant_hire:plant_hire sports:sports_equipment fishing:sports_equipment bicycle:sports_equipment "
    "mobile_phone:it_hardware_small electronics:it_hardware_small computer:it_hardware_small hifi:it_hardware_small "
    "appliance:it_hardware_small video_games:it_hardware_small camera:it_hardware_small printer_ink:stationery "
    "stationery:stationery copyshop:printing books:books music:books travel_agency:air_travel storage_rental:storage "
    "pet:animal_supplies dry_cleaning:cleaning laundry:cleaning medical_supply:medical_supplies photo:photography "
    "craft:general_store art:general_store country_store:animal_supplies locksmith:repairs security:fire_security "
    "hairdresser_supply:salon_supplies ticket:attractions",
    "tourism": "hotel:hotel hostel:hotel motel:hotel theme_park:attractions museum:attractions zoo:attractions caravan_site:hotel",
    "leisure": "fitness_centre:subscriptions sports_centre:attractions indoor_play:attractions trampoline_park:attractions "
    "bowling_alley:attractions amusement_arcade:attractions escape_game:attractions high_ropes_course:attractions "
    "miniature_golf:attractions dance:training",
    "office": "insurance:insurance coworking:rent employment_agency:agency_staff lawyer:legal accountant:accountancy "
    "tax_advisor:accountancy consulting:professional_fees engineer:professional_fees architect:professional_fees "
    "telecommunication:broadband it:it_support logistics:courier security:fire_security energy_supplier:electricity "
    "water_utility:water courier:courier",
    "craft": "signmaker:printing cleaning:cleaning electronics_repair:it_support window_construction:building_materials",
}


def fold(text):
    """Text as the engine compares it."""
    text = unicodedata.normalize("NFKD", text.replace("'", "").replace("\u2019", "").replace("&", " AND "))
    text = "".join(character for character in text if not unicodedata.combining(character)).upper()
    return " ".join(re.findall(r"[A-Z0-9]+", text))


def is_british(item):
    """Whether the index places a brand in the United Kingdom by name."""
    places = item.get("locationSet", {}).get("include", [])
    return any(isinstance(place, str) and (place == "gb" or place.startswith("gb-")) for place in places)


def main():
    with open(VOCABULARY, encoding="utf-8") as lines:
        words = {line.strip().upper() for line in lines}
    with open(sys.argv[1], encoding="utf-8") as file:
        index = json.load(file)["nsi"]
    rows = {}
    for path, kind in index.items():
        tree, key, value = path.split("/")
        concepts = dict(pair.split(":") for pair in KINDS.get(key, "").split())
        if tree != "brands" or value not in concepts:
            continue
        for item in kind["items"]:
            name = fold(item["displayName"])
            if not is_british(item) or len(name) < 4 or name in words or name.isdigit():
                continue
            rows.setdefault(name, set()).add(concepts[value])
    # A brand of several kinds of shop tells nothing certain.
    single = sorted((next(iter(found)), name) for name, found in rows.items() if len(found) == 1)
    with open(os.path.join(HERE, "brands.tsv"), "w", encoding="utf-8") as file:
        file.write("# brands that trade in Britain, from name-suggestion-index (BSD-3-Clause, see NOTICE), made by brands.py\n")
        for concept, name in single:
            file.write(f"{concept}\t{name.lower()}\n")
    print(len(single), "brands")


if __name__ == "__main__":
    main()
