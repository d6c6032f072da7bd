interface ParsedContent {
  kind: string
  [field: string]: unknown
}

/** Recognises what the text of a code represents, such as a URL, a contact or a payment. */
export function parseContent(text: string): ParsedContent | undefined {
  for (const [form, read] of READERS) if (form.test(text)) return read(text)
  return undefined
}

export function describeText(text: string): { parsed?: ParsedContent } {
  const parsed = parseContent(text)
  return parsed ? { parsed } : {}
}

const READERS: [form: RegExp, read: (text: string) => ParsedContent][] = [
  [/^https?:\/\/\S+$/i, text => ({ kind: 'url', url: text })],
  [
    /^WIFI:/i,
    text => ({
      kind: 'wifi',
      ...readSemicolonFields(text.slice(5), { T: 'security', S: 'ssid', P: 'password', H: 'hidden' }),
    }),
  ],
  [
    /^MECARD:/i,
    text => ({
      kind: 'mecard',
      ...readSemicolonFields(text.slice(7), {
        N: 'name',
        TEL: 'tel',
        EMAIL: 'email',
        URL: 'url',
        ADR: 'address',
        NOTE: 'note',
      }),
    }),
  ],
  [
    /^BEGIN:VCARD/i,
    text => ({
      kind: 'vcard',
      ...readLineFields(text, {
        FN: 'name',
        ORG: 'org',
        TITLE: 'title',
        TEL: 'tel',
        EMAIL: 'email',
        URL: 'url',
        NOTE: 'note',
      }),
    }),
  ],
  [
    /^BEGIN:(?:VEVENT|VCALENDAR)/i,
    text => ({
      kind: 'event',
      ...readLineFields(text, {
        SUMMARY: 'summary',
        DTSTART: 'start',
        DTEND: 'end',
        LOCATION: 'location',
        DESCRIPTION: 'description',
      }),
    }),
  ],
  [/^tel:/i, text => ({ kind: 'tel', tel: text.slice(4) })],
  [/^sms(?:to)?:/i, text => readSms(text)],
  [
    /^mailto:/i,
    text => ({
      kind: 'email',
      to: decodeUri(/^mailto:([^?]*)/i.exec(text)![1]!),
      ...readQuery(text, ['subject', 'body']),
    }),
  ],
  [/^geo:-?[\d.]+,-?[\d.]+/i, text => readGeo(text)],
  [/^BCD\r?\n00[12]\r?\n/, text => readEpc(text)],
  [/^otpauth:\/\//i, text => readOtpauth(text)],
  [
    /^ethereum:/i,
    text => ({
      kind: 'eip681',
      to: /^ethereum:(?:pay-)?(0x[0-9a-f]{40})?/i.exec(text)?.[1] ?? '',
      ...readQuery(text, ['value', 'address', 'uint256']),
    }),
  ],
]

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads fields such as `S:name;P:word\;s;;`, in which a backslash escapes the next character. */
function readSemicolonFields(text: string, names: Record<string, string>): Record<string, string> {
  const fields = text.match(/(?:[^;\\]|\\.)+/gs) ?? []
  return Object.fromEntries(
    fields.flatMap(field => {
      const at = field.indexOf(':')
      const name = at < 0 ? undefined : names[field.slice(0, at).toUpperCase()]
      return name ? [[name, field.slice(at + 1).replace(/\\(.)/gs, '$1')]] : []
    }),
  )
}

function readLineFields(text: string, names: Record<string, string>): Record<string, string> {
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

function readQuery(text: string, names: readonly string[]): Record<string, string> {
  const query = new URLSearchParams(text.split('?').slice(1).join('?'))
  return Object.fromEntries(names.flatMap(name => (query.has(name) ? [[name, query.get(name)!]] : [])))
}

function readSms(text: string): ParsedContent {
  const [to = '', ...body] = text.replace(/^sms(?:to)?:/i, '').split(':')
  return {
    kind: 'sms',
    to: to.split('?')[0]!,
    ...(body.length > 0 ? { body: body.join(':') } : readQuery(text, ['body'])),
  }
}

function readGeo(text: string): ParsedContent {
  const [lat, lng] = text.slice(4).split(/[,;?]/).map(Number)
  return { kind: 'geo', lat, lng }
}

function readEpc(text: string): ParsedContent {
  const [, , , , bic, name, iban, amount, , reference, remittance] = text.split(/\r?\n/)
  const given = Object.entries({ bic, name, iban, reference, remittance }).filter(([, value]) => value)
  const money = amount?.startsWith('EUR') ? { amount: Number(amount.slice(3)) } : {}
  return { kind: 'epc', ...Object.fromEntries(given), ...money }
}

function readOtpauth(text: string): ParsedContent {
  const [, type = '', label = ''] = /^otpauth:\/\/([^/?]*)\/([^?]*)/i.exec(text) ?? []
  return {
    kind: 'otpauth',
    type,
    label: decodeUri(label),
    ...readQuery(text, ['secret', 'issuer', 'digits', 'period', 'counter']),
  }
}
