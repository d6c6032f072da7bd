import { type Price, usd } from '#kit'

export const ENVELOPE_PRICE: Price<never> = {
  unit: 'envelope',
  ...{ rateMicros: usd('0.3'), baseMicros: 0n, basis: 'body', minUnits: 0 },
  units: () => 1,
  note: 'A draft is free. Up to 5 recipients and 50 pages; 0.02 for each further recipient, 0.005 for each further 10 pages, 0.05 for each sms_otp.',
}

/** Of calls that cost nothing and take files, as only priced ones do. */
export const NO_PRICE: Price<never> = {
  unit: 'template',
  ...{ rateMicros: 0n, baseMicros: 0n, basis: 'body', minUnits: 0, maxUnits: 0 },
  units: () => 0,
  note: 'Templates are free.',
}
