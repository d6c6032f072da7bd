import { type Static, Type } from 'typebox'
import { Choice } from '#kit'

const Word = (options = {}) => Type.String({ maxLength: 1000, ...options })
const Need = Word({ minLength: 1 })
const May = Type.Optional(Word())
const kind = <const Name extends string>(name: Name) => Type.Unsafe<Name>({ type: 'string', const: name })
const ADDRESS = { pattern: '^0x[0-9a-fA-F]{40}$' }
const MOMENT = { pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?Z?)?$' }

/** What a code may hold besides plain text; each is written as scanners expect it. */
export const Payload = Type.Union(
  [
    Type.Object({ kind: kind('url'), url: Need }),
    Type.Object({
      kind: kind('wifi'),
      ssid: Need,
      password: May,
      security: Type.Optional(Choice(['WPA', 'WEP', 'nopass'], { description: 'Left out: WPA.' })),
      hidden: Type.Optional(Type.Boolean()),
    }),
    Type.Object({
      kind: kind('vcard'),
      name: Need,
      org: May,
      title: May,
      tel: May,
      email: May,
      url: May,
      address: May,
      note: May,
    }),
    Type.Object({ kind: kind('mecard'), name: Need, tel: May, email: May, url: May, address: May, note: May }),
    Type.Object({ kind: kind('tel'), tel: Need }),
    Type.Object({ kind: kind('sms'), to: Need, body: May }),
    Type.Object({ kind: kind('email'), to: Need, subject: May, body: May }),
    Type.Object({
      kind: kind('geo'),
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      lng: Type.Number({ minimum: -180, maximum: 180 }),
    }),
    Type.Object({
      kind: kind('event'),
      summary: Need,
      start: Word(MOMENT),
      end: Type.Optional(Word(MOMENT)),
      location: May,
      description: May,
    }),
    Type.Object({
      kind: kind('epc'),
      name: Word({ minLength: 1, maxLength: 70 }),
      iban: Word({ pattern: '^[A-Z]{2}\\d{2}[A-Z0-9 ]{10,36}$' }),
      bic: Type.Optional(Word({ pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$' })),
      amount: Type.Optional(Type.Number({ minimum: 0.01, maximum: 999_999_999.99 })),
      reference: Type.Optional(Word({ maxLength: 35 })),
      remittance: Type.Optional(Word({ maxLength: 140 })),
    }),
    Type.Object({
      kind: kind('otpauth'),
      type: Type.Optional(Choice(['totp', 'hotp'], { description: 'Left out: totp.' })),
      secret: Word({ pattern: '^[A-Za-z2-7 ]+=*$' }),
      label: Need,
      issuer: May,
      digits: Type.Optional(Type.Integer({ minimum: 6, maximum: 8 })),
      period: Type.Optional(Type.Integer({ minimum: 1, maximum: 300 })),
      counter: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    Type.Object({
      kind: kind('eip681'),
      to: Word(ADDRESS),
      amount: Type.Optional(Word({ pattern: '^\\d{1,78}$', description: 'In the smallest unit.' })),
      token: Type.Optional(Word(ADDRESS)),
      chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'Left out: 1.' })),
    }),
  ],
  { description: 'Typed content; the service escapes it.' },
)

export type Payload = Static<typeof Payload>
type Of<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }>

export function payloadText(payload: Payload): string {
  return (WRITERS[payload.kind] as (payload: Payload) => string)(payload)
}

function semi(text: string): string {
  return text.replace(/([\\;,":])/g, '\\$1')
}

function line(text: string): string {
  return text.replace(/([\\;,])/g, '\\$1').replace(/\r?\n/g, '\\n')
}

function query(fields: Record<string, string | number | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

type Field = readonly [name: string, value: string | undefined]

function lines(begin: string, fields: readonly Field[], end: string): string {
  const given = fields.flatMap(([name, value]) => (value ? [`${name}:${value}`] : []))
  return [begin, ...given, end, ''].join('\r\n')
}

const WRITERS: { [Kind in Payload['kind']]: (payload: Of<Kind>) => string } = {
  url: ({ url }) => url,
  wifi: ({ ssid, password, security = 'WPA', hidden }) => {
    const secret = security === 'nopass' ? '' : `P:${semi(password ?? '')};`
    return `WIFI:T:${security};S:${semi(ssid)};${secret}${hidden ? 'H:true;' : ''};`
  },
  vcard: ({ name, address, ...fields }) => {
    const rest = (['org', 'title', 'tel', 'email', 'url', 'note'] as const).map(
      (key): Field => [key.toUpperCase(), fields[key] && line(fields[key])],
    )
    const place: Field = ['ADR', address && `;;${line(address)};;;;`]
    return lines('BEGIN:VCARD\r\nVERSION:4.0', [['FN', line(name)], ...rest, place], 'END:VCARD')
  },
  mecard: ({ name, tel, email, url, address, note }) => {
    const fields: Field[] = [
      ['N', name],
      ['TEL', tel],
      ['EMAIL', email],
      ['URL', url],
      ['ADR', address],
      ['NOTE', note],
    ]
    return `MECARD:${fields.flatMap(([key, value]) => (value ? [`${key}:${semi(value)};`] : [])).join('')};`
  },
  tel: ({ tel }) => `tel:${tel.replace(/[^\d+*#,;]/g, '')}`,
  sms: ({ to, body }) => `SMSTO:${to}:${body ?? ''}`,
  email: ({ to, subject, body }) => `mailto:${to}${query({ subject, body })}`,
  geo: ({ lat, lng }) => `geo:${lat},${lng}`,
  event: ({ summary, start, end, location, description }) =>
    lines(
      'BEGIN:VEVENT',
      [
        ['SUMMARY', line(summary)],
        ['DTSTART', start.replace(/[-:]/g, '')],
        ['DTEND', end?.replace(/[-:]/g, '')],
        ['LOCATION', location && line(location)],
        ['DESCRIPTION', description && line(description)],
      ],
      'END:VEVENT',
    ),
  epc: ({ name, iban, bic, amount, reference, remittance }) => {
    const money = amount === undefined ? '' : `EUR${amount.toFixed(2)}`
    const fields = ['BCD', '002', '1', 'SCT', bic, name, iban.replaceAll(' ', ''), money, '', reference, remittance]
    return fields
      .map(field => field ?? '')
      .join('\n')
      .trimEnd()
  },
  otpauth: ({ type = 'totp', secret, label, issuer, digits, period, counter }) => {
    const path = [issuer, label].flatMap(part => (part ? [encodeURIComponent(part)] : [])).join(':')
    const start = type === 'hotp' ? (counter ?? 0) : undefined
    const key = secret.replaceAll(' ', '').toUpperCase()
    return `otpauth://${type}/${path}${query({ secret: key, issuer, digits, period, counter: start })}`
  },
  eip681: ({ to, amount, token, chainId = 1 }) => {
    if (!token) return `ethereum:${to}@${chainId}${query({ value: amount })}`
    return `ethereum:${token}@${chainId}/transfer${query({ address: to, uint256: amount })}`
  },
}
