import type { LookupFunction } from 'node:net'
import { checkAddresses, type DestinationRules } from '../../../tasks/formats/web-address/destination.ts'
import type { ResolveHost } from './resolve.ts'

/** Looks a host up for a connection to it, which is made to one of the addresses that were checked here. */
export function createCheckedLookup(url: URL, resolve: ResolveHost, rules: DestinationRules): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      addresses => {
        try {
          checkAddresses(url, addresses, rules)
        } catch (error) {
          return done(error as Error, '', 0)
        }
        const records = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
        if (options.all) done(null, records)
        else done(null, records[0]!.address, records[0]!.family)
      },
      error => done(error as Error, '', 0),
    )
  }
}
