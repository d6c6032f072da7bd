import PostalMime, { type Address, type Attachment, decodeWords, type Email } from 'postal-mime'
import { Problem } from '#kit'
import { encodePlainFiles, nameType } from './plain-files.ts'

// Decision 0700: read mail with `postal-mime`.

export function bind() {
  return { read }
}

export interface Mailbox {
  name?: string
  address?: string
  /** The group of the list in which it stands. */
  group?: string
}

interface MailAttachment {
  name?: string
  contentType: string
  isInline: boolean
  contentId?: string
  bytes: Uint8Array
}

export interface Mail {
  headers: { name: string; value: string }[]
  subject?: string
  /** In UTC. */
  date?: string
  messageId?: string
  inReplyTo?: string
  references: string[]
  from: Mailbox[]
  sender: Mailbox[]
  replyTo: Mailbox[]
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  text?: string
  html?: string
  attachments: MailAttachment[]
}

const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 2 ** 20 }
/** The time that the library takes grows with the square of the number of parts. */
const MAX_PARTS = 2_000
/** A mail has one of these at least. A text without headers would be read as a mail without text otherwise. */
const HEADERS_OF_MAIL = new Set([
  ...[
    'from',
    'to',
    'cc',
    'bcc',
    'subject',
    'date',
    'message-id',
    'received',
    'return-path',
    'mime-version',
    'content-type',
  ],
  ...['reply-to', 'sender', 'delivered-to'],
])

/** Reads the headers, texts and attachments of a mail. Mails in it are attachments. */
async function read(bytes: Uint8Array): Promise<Mail> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  checkParts(text, listBoundaries(text))
  const encoded = encodePlainFiles(text)
  const email = await parse(encoded === text ? bytes : Buffer.from(encoded, 'latin1'))
  if (!email.headers.some(({ key }) => HEADERS_OF_MAIL.has(key)))
    throw new Problem('EMAIL_INVALID', { reason: 'It has none of the headers of a mail, such as From or Subject.' })
  const list = (addresses: Address | Address[] | undefined) => [addresses ?? []].flat().flatMap(listMailboxes)
  const { from, sender, replyTo, to, cc, bcc, subject, messageId, inReplyTo, references, date, html } = email
  return {
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
    ...{ from: list(from), sender: list(sender), replyTo: list(replyTo), to: list(to), cc: list(cc), bcc: list(bcc) },
    ...{ subject, messageId, inReplyTo, text: email.text, html, references: references?.match(/<[^<>]+>/g) ?? [] },
    // The library gives a date that it cannot read as it is.
    date: date !== undefined && /^\d{4}-\d\d-\d\dT/.test(date) ? date.replace('.000Z', 'Z') : undefined,
    attachments: email.attachments.map(describeAttachment),
  }
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { ...LIMITS, forceRfc822Attachments: true })
  } catch (error) {
    // It has no class for its errors; all that it throws for bytes are limits that the mail exceeds.
    throw new Problem('EMAIL_INVALID', { reason: error instanceof Error ? error.message : undefined })
  }
}

function listBoundaries(text: string): Set<string> {
  const found = text.matchAll(/boundary\*?\d*\*?\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi)
  return new Set([...found].map(([, quoted, plain]) => quoted ?? plain!))
}

function checkParts(text: string, boundaries: ReadonlySet<string>): void {
  if (boundaries.size === 0) return
  if (boundaries.size > MAX_PARTS) throw tooManyParts()
  let parts = 0
  for (const [, line] of text.matchAll(/^--([^\r\n]{1,200})/gm)) {
    if (boundaries.has(line!.trimEnd()) && ++parts > MAX_PARTS) throw tooManyParts()
  }
}

function tooManyParts(): Problem {
  return new Problem('EMAIL_INVALID', { reason: `It has more than ${MAX_PARTS} parts.` })
}

function listMailboxes(address: Address): Mailbox[] {
  if (address.group === undefined) return [toMailbox(address)]
  return address.group.map(member => ({ ...toMailbox(member), group: address.name }))
}

function toMailbox({ name, address }: { name: string; address: string }): Mailbox {
  return { ...(name && { name }), ...(address && { address }) }
}

function describeAttachment({
  filename,
  mimeType,
  disposition,
  related,
  contentId,
  content,
}: Attachment): MailAttachment {
  return {
    ...(filename && { name: filename }),
    ...{ contentType: nameType(mimeType), isInline: related === true || disposition === 'inline' },
    ...(contentId && { contentId: contentId.replace(/^<|>$/g, '') }),
    bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
  }
}
