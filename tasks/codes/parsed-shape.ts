export interface Parsed {
  kind: string
  [field: string]: unknown
}

/** What the text of a code stands for, where its form says so. */
export function parsedOf(text: string): Parsed | undefined {
  for (const [form, read] of READERS) if (form.test(text)) return read(text)
  return undefined
}

const READERS: [form: RegExp, read: (text: string) => Parsed][] = [
  [/^https?:\/\/\S+$/i, text => ({ kind: 'url', url: text })],
  [
    /^WIFI:/i,
    text => ({ kind: 'wifi', ...named(text.slice(5), { T: 'security', S: 'ssid', P: 'password', H: 'hidden' }) }),
  ],
  [
    /^MECARD:/i,
    text => ({
      kind: 'mecard',
      ...named(text.slice(7), { N: 'name', TEL: 'tel', EMAIL: 'email', URL: 'url', ADR: 'address', NOTE: 'note' }),
    }),
  ],
  [
    /^BEGIN:VCARD/i,
    text => ({
      kind: 'vcard',
      ...listed(text, { FN: 'name', ORG: 'org', TITLE: 'title', TEL: 'tel', EMAIL: 'email', URL: 'url', NOTE: 'note' }),
    }),
  ],
  [
    /^BEGIN:(?:VEVENT|VCALENDAR)/i,
    text => ({
      kind: 'event',
      ...listed(text, {
        SUMMARY: 'summary',
        DTSTART: 'start',
        DTEND: 'end',
        LOCATION: 'location',
        DESCRIPTION: 'description',
      }),
    }),
  ],
  [/^tel:/i, text => ({ kind: 'tel', tel: text.slice(4) })],
  [/^sms(?:to)?:/i, text => sms(text)],
  [
    /^mailto:/i,
    text => ({ kind: 'email', to: decoded(/^mailto:([^?]*)/i.exec(text)![1]!), ...queryOf(text, ['subject', 'body']) }),
  ],
  [/^geo:-?[\d.]+,-?[\d.]+/i, text => geo(text)],
  [/^BCD\r?\n00[12]\r?\n/, text => epc(text)],
  [/^otpauth:\/\//i, text => otpauth(text)],
  [
    /^ethereum:/i,
    text => ({
      kind: 'eip681',
      to: /^ethereum:(?:pay-)?(0x[0-9a-f]{40})?/i.exec(text)?.[1] ?? '',
      ...queryOf(text, ['value', 'address', 'uint256']),
    }),
  ],
]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `S:name;P:word\;s;;`, with backslashes before what is meant as it stands. */
function named(text: string, names: Record<string, string>): Record<string, string> {
  const fields = text.match(/(?:[^;\\]|\\.)+/gs) ?? []
  return Object.fromEntries(
    fields.flatMap(field => {
      const at = field.indexOf(':')
      const name = at < 0 ? undefined : names[field.slice(0, at).toUpperCase()]
      return name ? [[name, field.slice(at + 1).replace(/\\(.)/gs, '$1')]] : []
    }),
  )
}

function listed(text: string, names: Record<string, string>): Record<string, string> {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)
  return Object.fromEntries(
    lines.flatMap(line => {
      const at = line.indexOf(':')
      const name = at < 0 ? undefined : names[line.slice(0, at).split(';')[0]!.toUpperCase()]
      return name
        ? [
            [
              name,
              line
                .slice(at + 1)
                .replace(/\\n/gi, '\n')
                .replace(/\\(.)/g, '$1'),
            ],
          ]
        : []
    }),
  )
}

function queryOf(text: string, names: readonly string[]): Record<string, string> {
  const query = new URLSearchParams(text.split('?').slice(1).join('?'))
  return Object.fromEntries(names.flatMap(name => (query.has(name) ? [[name, query.get(name)!]] : [])))
}

function sms(text: string): Parsed {
  const [to = '', ...body] = text.replace(/^sms(?:to)?:/i, '').split(':')
  return {
    kind: 'sms',
    to: to.split('?')[0]!,
    ...(body.length > 0 ? { body: body.join(':') } : queryOf(text, ['body'])),
  }
}

function geo(text: string): Parsed {
  const [lat, lng] = text.slice(4).split(/[,;?]/).map(Number)
  return { kind: 'geo', lat, lng }
}

function epc(text: string): Parsed {
  const [, , , , bic, name, iban, amount, , reference, remittance] = text.split(/\r?\n/)
  const given = Object.entries({ bic, name, iban, reference, remittance }).filter(([, value]) => value)
  const money = amount?.startsWith('EUR') ? { amount: Number(amount.slice(3)) } : {}
  return { kind: 'epc', ...Object.fromEntries(given), ...money }
}

function otpauth(text: string): Parsed {
  const [, type = '', label = ''] = /^otpauth:\/\/([^/?]*)\/([^?]*)/i.exec(text) ?? []
  return {
    kind: 'otpauth',
    type,
    label: decoded(label),
    ...queryOf(text, ['secret', 'issuer', 'digits', 'period', 'counter']),
  }
}
