import { type Entry, PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { isPaid, rateOf, type SurfaceOptions, shown } from './surface.ts'

export interface ListedPrice {
  method: Entry['method']
  path: string
  unit: string
  rateMicros: string
  baseMicros: string
  floorMicros: string
  ceilingMicros: string
  /** `body`: known before anything is read; `content`: known after the input was looked at. */
  basis: 'body' | 'content'
}

/** What everything costs, by name: a call is base plus units times rate, never below the floor or above the ceiling. */
export function prices(entries: readonly Entry[], overrides?: SurfaceOptions['rateOf']): Record<string, ListedPrice> {
  const listed = shown(entries)
    .filter(isPaid)
    .map(entry => {
      const { method, path, price } = entry
      return [
        entry.name,
        {
          method,
          path,
          unit: price.unit,
          rateMicros: String(rateOf(entry, overrides)),
          baseMicros: String(price.baseMicros),
          floorMicros: String(PRICE_FLOOR),
          ceilingMicros: String(PRICE_CEILING),
          basis: price.basis,
        },
      ] as const
    })
  return Object.fromEntries(listed)
}
