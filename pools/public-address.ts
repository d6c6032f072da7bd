import { BlockList, isIP } from 'node:net'

/** Addresses of IPv4 that lead to this machine, its neighbours, or nobody. */
const INNER_V4 = [
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

/** Of IPv6 only what is given out to the world, less what stands for other addresses or for none. */
const WORLD_V6 = ['2000::/3']
const INNER_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const innerV4 = listOf(INNER_V4, 'ipv4')
const worldV6 = listOf(WORLD_V6, 'ipv6')
const innerV6 = listOf(INNER_V6, 'ipv6')

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string]
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !innerV4.check(address, 'ipv4')
  return isIP(address) === 6 && worldV6.check(address, 'ipv6') && !innerV6.check(address, 'ipv6')
}
