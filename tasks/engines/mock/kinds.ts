import { Problem } from '#kit'

/** Kinds of values that a package with names, places and words of many languages makes, with the types of their columns. */
const DRAWN = {
  firstName: 'string',
  lastName: 'string',
  fullName: 'string',
  jobTitle: 'string',
  username: 'string',
  email: 'string',
  phone: 'string',
  street: 'string',
  city: 'string',
  postcode: 'string',
  state: 'string',
  country: 'string',
  countryCode: 'string',
  company: 'string',
  department: 'string',
  product: 'string',
  currency: 'string',
  iban: 'string',
  creditCard: 'string',
  domain: 'string',
  url: 'string',
  userAgent: 'string',
  word: 'string',
  sentence: 'string',
  paragraph: 'string',
} as const

/** Kinds that follow from their options alone. */
const OWN = {
  int: 'integer',
  float: 'number',
  decimal: 'decimal',
  bool: 'boolean',
  date: 'date',
  datetime: 'datetime',
  timestamp: 'timestamptz',
  time: 'time',
  uuid: 'uuid',
  latitude: 'number',
  longitude: 'number',
  ipv4: 'string',
  ipv6: 'string',
  mac: 'string',
  color: 'string',
  lorem: 'string',
  enum: 'enum',
  regex: 'string',
  sequence: 'integer',
  ref: 'ref',
  template: 'string',
  json: 'json',
} as const

export type DrawnKind = keyof typeof DRAWN
export type Kind = DrawnKind | keyof typeof OWN
export const KINDS: Record<Kind, string> = { ...DRAWN, ...OWN }

const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
const OTHER_NAMES: Record<string, Kind> = {
  ...{ integer: 'int', number: 'float', boolean: 'bool', string: 'word', text: 'lorem', name: 'fullName' },
  ...{ surname: 'lastName', zip: 'postcode', zipcode: 'postcode', address: 'street', ip: 'ipv4', id: 'sequence' },
  ...{ guid: 'uuid', choice: 'enum', pattern: 'regex', object: 'json', telephone: 'phone', mail: 'email' },
}

export function requireKind(type: string, field: string): Kind {
  if (Object.hasOwn(KINDS, type)) return type as Kind
  const wanted = plain(type)
  const names = Object.keys(KINDS) as Kind[]
  const near =
    names.find(name => plain(name) === wanted) ??
    (Object.hasOwn(OTHER_NAMES, wanted) ? OTHER_NAMES[wanted] : undefined) ??
    names.find(name => wanted.length > 2 && (plain(name).includes(wanted) || wanted.includes(plain(name))))
  throw new Problem('MOCK_TYPE_UNKNOWN', { field, type, ...(near && { didYouMean: near }), allowed: names })
}
