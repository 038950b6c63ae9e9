//! Which addresses a document may be fetched from: plain global unicast, by the special-purpose registries of IANA (RFC 6890). What
//! those registries have is refused even where it is reachable globally, because none of it is a site. An IPv4 address inside one of
//! IPv6 is judged by itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of the IPv4 registry, of multicast and of the former class E: address and length.
const SPECIAL_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, what is reserved, and broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// The one block that global unicast is assigned from.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// What of that block is special.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // Assigned to protocols; Teredo, which is one of them, is judged before.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
const MAPPED: (Ipv6Addr, u32) = (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);
const TEREDO: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32);
/// The second half of an address of ISATAP, without the bit that says whether the IPv4 address in it is unique (RFC 5214, section 6.1).
const ISATAP: u32 = 0x0000_5efe;
const UNIQUE_BIT: u32 = 0x0200_0000;

/// Whether an address is one that a public site has.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_inside = |(network, length): &(Ipv4Addr, u32)| {
        let bits = u32::BITS - length;
        address.to_bits() >> bits == network.to_bits() >> bits
    };
    !SPECIAL_V4.iter().any(is_inside)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_inside = |(network, length): &(Ipv6Addr, u32)| {
        let bits = u128::BITS - length;
        address.to_bits() >> bits == network.to_bits() >> bits
    };
    let [_, b, c, d, e, f, g, h] = address.segments();
    let within = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    if is_inside(&MAPPED) || is_inside(&NAT64) {
        return is_public_v4(within(g, h));
    }
    let is_plain = is_inside(&GLOBAL_V6) && !SPECIAL_V6.iter().any(is_inside);
    let is_isatap = within(e, f).to_bits() & !UNIQUE_BIT == ISATAP;
    // Of Teredo both ends count: the server, and the client, whose bits are turned over (RFC 4380, section 4).
    let is_teredo_public = || is_public_v4(within(c, d)) && is_public_v4(within(!g, !h));
    match () {
        () if is_inside(&SIX_TO_FOUR) => is_public_v4(within(b, c)),
        () if is_inside(&TEREDO) => is_teredo_public(),
        () if is_isatap => is_plain && is_public_v4(within(g, h)),
        () => is_plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_global_unicast_is_public() {
        for (text, expected) in [
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("1.1.1.1", true),
            ("9.255.255.255", true),
            ("10.0.0.0", false),
            ("10.255.255.255", false),
            ("11.0.0.0", true),
            ("93.184.216.34", true),
            ("100.63.255.255", true),
            ("100.64.0.0", false),
            ("100.127.255.255", false),
            ("100.128.0.0", true),
            ("126.255.255.255", true),
            ("127.0.0.1", false),
            ("127.255.255.255", false),
            ("128.0.0.0", true),
            ("169.253.255.255", true),
            ("169.254.169.254", false),
            ("172.15.255.255", true),
            ("172.16.0.0", false),
            ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("192.0.0.1", false),
            ("192.0.0.170", false),
            ("192.0.1.0", true),
            ("192.0.2.1", false),
            ("192.31.196.1", false),
            ("192.52.193.1", false),
            ("192.88.99.1", false),
            ("192.167.255.255", true),
            ("192.168.1.1", false),
            ("192.169.0.0", true),
            ("192.175.48.1", false),
            ("198.17.255.255", true),
            ("198.18.0.0", false),
            ("198.19.255.255", false),
            ("198.20.0.0", true),
            ("198.51.100.1", false),
            ("203.0.113.1", false),
            ("223.255.255.255", true),
            ("224.0.0.1", false),
            ("239.255.255.255", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::93.184.216.34", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.1.2.3", false),
            ("::ffff:93.184.216.34", true),
            ("::ffff:0:93.184.216.34", false),
            ("64:ff9b::127.0.0.1", false),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::169.254.169.254", false),
            ("64:ff9b::93.184.216.34", true),
            ("64:ff9b:0:0:1::93.184.216.34", false),
            ("64:ff9b:1::93.184.216.34", false),
            ("100::1", false),
            ("100:0:0:1::1", false),
            ("1fff:ffff::1", false),
            ("2001::", false),
            ("2001:0:7f00:1:0:0:a247:27dd", false),
            ("2001:0:41d0:1:0:0:80ff:fffe", false),
            ("2001:0:41d0:1:0:0:a247:27dd", true),
            ("2001:1::1", false),
            ("2001:2::1", false),
            ("2001:10::1", false),
            ("2001:20::1", false),
            ("2001:30::1", false),
            ("2001:1ff:ffff::1", false),
            ("2001:200::1", true),
            ("2001:db8::1", false),
            ("2002:7f00:1::1", false),
            ("2002:a00:1::1", false),
            ("2002:a9fe:a9fe::1", false),
            ("2002:c0a8:101::1", false),
            ("2002:5db8:d822::1", true),
            ("2606:4700:4700::1111", true),
            ("2606:4700:4700::5efe:10.0.0.1", false),
            ("2606:4700:4700::200:5efe:127.0.0.1", false),
            ("2606:4700:4700::200:5efe:93.184.216.34", true),
            ("2620:4f:8000::1", false),
            ("2a00:1450:4001:80b::200e", true),
            ("3ffe::1", true),
            ("3fff::1", false),
            ("3fff:fff::1", false),
            ("4000::1", false),
            ("5f00::1", false),
            ("fc00::1", false),
            ("fd12:3456:789a::1", false),
            ("fe80::1", false),
            ("febf::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            ("ff0e::1", false),
        ] {
            let address: IpAddr = text.parse().expect("an address");
            assert_eq!(is_public(address), expected, "{text}");
        }
    }
}
