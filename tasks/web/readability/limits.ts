import { type Price, usd } from '#kit'

/** The text of a page that scripts draw is thinner than this without them. */
export const THIN_CHARS = 400
export const PRICE: Price<{ render: 'auto' | 'static' | 'browser' }> = {
  unit: 'page in a browser',
  rateMicros: usd('0.002'),
  baseMicros: usd('0.004'),
  basis: 'body',
  units: ({ render }) => (render === 'static' ? 0 : 1),
  expectedUnits: ({ render }) => (render === 'browser' ? 1 : 0),
  maxUnits: 1,
  note: 'A page that was read without a browser costs the base alone.',
}
