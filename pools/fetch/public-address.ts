import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are local, private, reserved or multicast. */
const NON_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Global unicast IPv6, except ranges that map to other addresses or are reserved. */
const GLOBAL_V6 = ['2000::/3']
const NON_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const nonPublicV4 = buildBlockList(NON_PUBLIC_V4, 'ipv4')
const globalV6 = buildBlockList(GLOBAL_V6, 'ipv6')
const nonPublicV6 = buildBlockList(NON_PUBLIC_V6, 'ipv6')

function buildBlockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string]
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !nonPublicV4.check(address, 'ipv4')
  return isIP(address) === 6 && globalV6.check(address, 'ipv6') && !nonPublicV6.check(address, 'ipv6')
}
