import { Type } from 'typebox'
import { define, exactlyOne, FileInput, FileManifest, FileOutput, type Tools, Warnings } from '#kit'
import { describeAttachments, toParts, UNTRUSTED_CONTENT_TYPE, warnOfAttachments } from './email/attachments.ts'
import { readMailSource } from './email/source.ts'
import { answerText, fitsInline, textPrice } from './schema.ts'

const TEXT = Type.Optional(Type.String())
const MAILBOXES = Type.Optional(
  Type.Array(
    Type.Object({
      ...{ name: TEXT, address: TEXT },
      group: Type.Optional(Type.String({ description: 'The group of addresses in which it stands.' })),
    }),
  ),
)

export default define({
  summary: 'Read an e-mail file (.eml): who, when, subject, text, and its attachments as files.',
  keywords:
    'parse email, eml to json, mime, rfc822, message headers, extract attachments from an email, who sent an email, sender of an email, inbox, mbox, mail parser, ' +
    'email to text, forwarded message, quoted-printable',
  converts: [{ from: 'eml', to: 'text json' }],
  description:
    'Names, subjects and texts are decoded from any charset, and HTML is also given as text where a mail has nothing else. ' +
    'A mail in it is an attachment that can be read by another call. Attachments are named without paths and never ' +
    'opened; whether the sender is who it says is not checked. Of Outlook, .msg is not read: save it as .eml.',
  price: textPrice(),
  uses: ['mailReader', 'htmlToText'],
  input: Type.Object({
    text: Type.Optional(
      Type.String({ description: 'The source of a mail, at most 4 MiB of UTF-8. Give text or file.' }),
    ),
    file: Type.Optional(FileInput({ description: 'An .eml, or the first mail of an .mbox. Give text or file.' })),
    attachments: Type.Boolean({
      default: true,
      description:
        'Whether attachments are given as files, at most 100. Lines of those that are not encoded end with line feeds.',
    }),
    html: Type.Boolean({ default: false, description: 'Whether the HTML of the mail is given too, as it is, unsafe.' }),
    headers: Type.Boolean({ default: false, description: 'Whether all headers are given, decoded, in their order.' }),
  }),
  output: Type.Object({
    ...{ subject: TEXT, from: MAILBOXES, sender: MAILBOXES, replyTo: MAILBOXES, to: MAILBOXES, cc: MAILBOXES },
    bcc: MAILBOXES,
    date: Type.Optional(Type.String({ description: 'When it says it was sent, in UTC.' })),
    ...{ messageId: TEXT, inReplyTo: TEXT, references: Type.Optional(Type.Array(Type.String())) },
    text: Type.Optional(Type.String({ description: 'Up to 1 MiB; longer texts are `output`.' })),
    textIsFromHtml: Type.Optional(Type.Boolean()),
    output: Type.Optional(FileOutput('text/plain')),
    html: TEXT,
    htmlOutput: Type.Optional(FileOutput('text/html')),
    headers: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
    attachments: Type.Array(
      Type.Object({
        ...{ name: Type.String(), contentType: Type.String({ description: 'As the mail says.' }) },
        ...{ sizeBytes: Type.Integer({ minimum: 0 }), isInline: Type.Boolean() },
        contentId: Type.Optional(Type.String({ description: 'By which the HTML names it: cid:.' })),
      }),
    ),
    files: Type.Optional(FileManifest(UNTRUSTED_CONTENT_TYPE, { name: { type: 'string' } })),
    warnings: Warnings,
  }),
  errors: ['EMAIL_INVALID', 'UNSUPPORTED_FORMAT', 'HTML_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'A short mail',
      input: {
        text:
          'From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>\nTo: ada@example.com\nDate: Sat, 14 Mar 2026 10:00:00 +0100\n' +
          'Subject: =?utf-8?B?w5ZsIGJlc3RlbGxlbg==?=\n\nTwo barrels, please.\n',
      },
      answer: {
        subject: 'Öl bestellen',
        from: [{ name: 'Jörg', address: 'joerg@example.com' }],
        date: '2026-03-14T09:00:00Z',
        text: 'Two barrels, please.',
        attachments: [],
      },
    },
  ],

  async run(input, tools) {
    exactlyOne(input, ['text', 'file'])
    const { bytes, warnings } = await readMailSource(input)
    const { headers, html, text, attachments, date, ...facts } = await tools.mailReader.read(bytes)
    const filled = Object.entries(facts).filter(([, value]) => value !== undefined && value.length > 0)
    const body = await readBody({ text, html }, tools)
    const result = {
      ...(Object.fromEntries(filled) as Partial<typeof facts>),
      ...(date && { date }),
      ...answerText(body.text, undefined, 'mail.txt'),
      ...(body.isFromHtml && { textIsFromHtml: true }),
      ...(input.html && html !== undefined && answerHtml(html)),
      ...(input.headers && { headers }),
      attachments: describeAttachments(attachments),
      ...(input.attachments && attachments.length > 0 && { files: toParts(attachments) }),
    }
    return { result, warnings: [...warnings, ...warnOfAttachments(attachments, input.attachments)] }
  },
})

async function readBody({ text, html }: { text?: string; html?: string }, { htmlToText }: Pick<Tools, 'htmlToText'>) {
  if (text?.trim() || !html?.trim()) return { text: (text ?? '').replaceAll('\r\n', '\n').trimEnd(), isFromHtml: false }
  const options = { mode: 'plain', wordwrap: 0, links: 'inline', images: 'alt', tables: true } as const
  const found = await htmlToText.convert(html, { ...options, include: [], exclude: [] })
  return { text: found.text, isFromHtml: true }
}

function answerHtml(html: string) {
  if (fitsInline(html)) return { html }
  return { htmlOutput: { bytes: Buffer.from(html), contentType: 'text/html', name: 'mail.html' } }
}
