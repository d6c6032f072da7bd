import { type Static, Type } from 'typebox'
import { ALIASES_RULE, Choice } from '#kit'
import { checkIban, formatCoordinate, formatMoment } from './values.ts'

const Text = (options = {}) => Type.String({ maxLength: 1000, ...options })
const RequiredText = Text({ minLength: 1 })
const OptionalText = Type.Optional(Text())
const PHONE = { [ALIASES_RULE]: ['phone', 'telephone', 'mobile'] }
const OptionalPhone = Type.Optional(Text(PHONE))
const kind = <const Name extends string>(name: Name) => Type.Unsafe<Name>({ type: 'string', const: name })
const ADDRESS = { pattern: '^0x[0-9a-fA-F]{40}$' }
const DATE_TIME = {
  pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?(Z|[+-]\\d\\d:\\d\\d)?)?$',
  description: 'Such as 2026-05-04T10:00:00+02:00. A time with an offset is written in UTC.',
}

const KINDS = [
  Type.Object({ kind: kind('url'), url: RequiredText }),
  Type.Object({
    kind: kind('wifi'),
    ssid: RequiredText,
    password: OptionalText,
    security: Type.Optional(Choice(['WPA', 'WEP', 'nopass'], { description: 'Left out: WPA.' })),
    hidden: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    kind: kind('vcard'),
    name: RequiredText,
    org: OptionalText,
    title: OptionalText,
    tel: OptionalPhone,
    email: OptionalText,
    url: OptionalText,
    address: OptionalText,
    note: OptionalText,
  }),
  Type.Object({
    kind: kind('mecard'),
    name: RequiredText,
    tel: OptionalPhone,
    email: OptionalText,
    url: OptionalText,
    address: OptionalText,
    note: OptionalText,
  }),
  Type.Object({ kind: kind('tel'), tel: Text({ minLength: 1, ...PHONE }) }),
  Type.Object({ kind: kind('sms'), to: RequiredText, body: OptionalText }),
  Type.Object({ kind: kind('email'), to: RequiredText, subject: OptionalText, body: OptionalText }),
  Type.Object({
    kind: kind('geo'),
    lat: Type.Number({ minimum: -90, maximum: 90 }),
    lng: Type.Number({ minimum: -180, maximum: 180 }),
  }),
  Type.Object({
    kind: kind('event'),
    summary: RequiredText,
    start: Text(DATE_TIME),
    end: Type.Optional(Text(DATE_TIME)),
    location: OptionalText,
    description: OptionalText,
  }),
  Type.Object({
    kind: kind('epc'),
    name: Text({ minLength: 1, maxLength: 70 }),
    iban: Text({ pattern: '^[A-Z]{2}\\d{2}[A-Z0-9 ]{10,36}$' }),
    bic: Type.Optional(Text({ pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$' })),
    amount: Type.Optional(Type.Number({ minimum: 0.01, maximum: 999_999_999.99 })),
    reference: Type.Optional(Text({ maxLength: 35 })),
    remittance: Type.Optional(Text({ maxLength: 140 })),
  }),
  Type.Object({
    kind: kind('otpauth'),
    type: Type.Optional(Choice(['totp', 'hotp'], { description: 'Left out: totp.' })),
    secret: Text({ pattern: '^[A-Za-z2-7 ]+=*$' }),
    label: RequiredText,
    issuer: OptionalText,
    digits: Type.Optional(Type.Integer({ minimum: 6, maximum: 8 })),
    period: Type.Optional(Type.Integer({ minimum: 1, maximum: 300 })),
    counter: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    kind: kind('eip681'),
    to: Text(ADDRESS),
    amount: Type.Optional(Text({ pattern: '^\\d{1,78}$', description: 'In the smallest unit of the token.' })),
    token: Type.Optional(Text(ADDRESS)),
    chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'Left out: 1.' })),
  }),
] as const

export type Payload = Static<(typeof KINDS)[number]>

/** Typed content of a code; each kind is written in the format that scanners expect. */
export const Payload = Type.Unsafe<Payload>({
  type: 'object',
  discriminator: { propertyName: 'kind' },
  required: ['kind'],
  oneOf: KINDS,
  description: 'Typed content. The service formats and escapes it.',
})

type Of<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }>

export function formatPayload(payload: Payload): string {
  return (FORMATTERS[payload.kind] as (payload: Payload) => string)(payload)
}

function escapeField(text: string): string {
  return text.replace(/([\\;,":])/g, '\\$1')
}

function escapeLine(text: string): string {
  return text.replace(/([\\;,])/g, '\\$1').replace(/\r?\n/g, '\\n')
}

function formatQuery(fields: Record<string, string | number | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

type Field = readonly [name: string, value: string | undefined]

function formatLines(begin: string, fields: readonly Field[], end: string): string {
  const given = fields.flatMap(([name, value]) => (value ? [`${name}:${value}`] : []))
  return [begin, ...given, end, ''].join('\r\n')
}

const FORMATTERS: { [Kind in Payload['kind']]: (payload: Of<Kind>) => string } = {
  url: ({ url }) => url,
  wifi: ({ ssid, password, security = 'WPA', hidden }) => {
    const secret = security === 'nopass' ? '' : `P:${escapeField(password ?? '')};`
    return `WIFI:T:${security};S:${escapeField(ssid)};${secret}${hidden ? 'H:true;' : ''};`
  },
  vcard: ({ name, address, ...fields }) => {
    const rest = (['org', 'title', 'tel', 'email', 'url', 'note'] as const).map(
      (key): Field => [key.toUpperCase(), fields[key] && escapeLine(fields[key])],
    )
    const place: Field = ['ADR', address && `;;${escapeLine(address)};;;;`]
    return formatLines('BEGIN:VCARD\r\nVERSION:4.0', [['FN', escapeLine(name)], ...rest, place], 'END:VCARD')
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
    return `MECARD:${fields.flatMap(([key, value]) => (value ? [`${key}:${escapeField(value)};`] : [])).join('')};`
  },
  tel: ({ tel }) => `tel:${tel.replace(/[^\d+*#,;]/g, '')}`,
  sms: ({ to, body }) => `SMSTO:${to}:${body ?? ''}`,
  email: ({ to, subject, body }) => `mailto:${to}${formatQuery({ subject, body })}`,
  geo: ({ lat, lng }) => `geo:${formatCoordinate(lat)},${formatCoordinate(lng)}`,
  event: ({ summary, start, end, location, description }) =>
    formatLines(
      'BEGIN:VEVENT',
      [
        ['SUMMARY', escapeLine(summary)],
        ['DTSTART', formatMoment(start, 'data.start')],
        ['DTEND', end && formatMoment(end, 'data.end')],
        ['LOCATION', location && escapeLine(location)],
        ['DESCRIPTION', description && escapeLine(description)],
      ],
      'END:VEVENT',
    ),
  epc: ({ name, iban, bic, amount, reference, remittance }) => {
    const money = amount === undefined ? '' : `EUR${amount.toFixed(2)}`
    const fields = ['BCD', '002', '1', 'SCT', bic, name, checkIban(iban), money, '', reference, remittance]
    return fields
      .map(field => field ?? '')
      .join('\n')
      .trimEnd()
  },
  otpauth: ({ type = 'totp', secret, label, issuer, digits, period, counter }) => {
    const path = [issuer, label].flatMap(part => (part ? [encodeURIComponent(part)] : [])).join(':')
    const start = type === 'hotp' ? (counter ?? 0) : undefined
    const key = secret.replaceAll(' ', '').toUpperCase()
    return `otpauth://${type}/${path}${formatQuery({ secret: key, issuer, digits, period, counter: start })}`
  },
  eip681: ({ to, amount, token, chainId = 1 }) => {
    if (!token) return `ethereum:${to}@${chainId}${formatQuery({ value: amount })}`
    return `ethereum:${token}@${chainId}/transfer${formatQuery({ address: to, uint256: amount })}`
  },
}
