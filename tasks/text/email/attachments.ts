import { basename } from 'node:path'
import { cleanName, type OutputPart, type Warning } from '#kit'

/** A file from a stranger's mail is never served as the type that the mail says. */
export const UNTRUSTED_CONTENT_TYPE = 'application/octet-stream'
export const MAX_FILES = 100

interface Attachment {
  name?: string
  contentType: string
  isInline: boolean
  contentId?: string
  bytes: Uint8Array
}

const ENDINGS: Readonly<Record<string, string>> = {
  ...{ 'message/rfc822': 'eml', 'text/calendar': 'ics', 'text/plain': 'txt', 'text/html': 'html', 'text/csv': 'csv' },
  ...{ 'application/pdf': 'pdf', 'application/zip': 'zip', 'application/json': 'json', 'application/xml': 'xml' },
  ...{ 'image/jpeg': 'jpg', 'image/png': 'png', 'image/gif': 'gif', 'image/webp': 'webp', 'text/vcard': 'vcf' },
}

/** Parts whose content only other programs can open. */
const SEALED: readonly [RegExp, string, string][] = [
  [
    /^application\/(?:x-)?pkcs7-mime$/,
    'SEALED_CONTENT',
    'It is encrypted or signed by S/MIME; its content is in the attachment.',
  ],
  [/^application\/pgp-encrypted$/, 'SEALED_CONTENT', 'It is encrypted by PGP; its content is in the attachment.'],
  [
    /^application\/(?:vnd\.)?ms-tnef$/,
    'TNEF_NOT_READ',
    'Outlook packed attachments into winmail.dat, which is not read.',
  ],
]

export function describeAttachments(attachments: readonly Attachment[]) {
  return attachments.map((attachment, index) => ({
    ...{ name: nameAttachment(attachment, index), contentType: attachment.contentType },
    ...{ sizeBytes: attachment.bytes.length, isInline: attachment.isInline },
    ...(attachment.contentId && { contentId: attachment.contentId }),
  }))
}

export function toParts(attachments: readonly Attachment[]): OutputPart[] {
  return attachments.slice(0, MAX_FILES).map((attachment, index) => ({
    ...{ index, bytes: attachment.bytes, contentType: UNTRUSTED_CONTENT_TYPE },
    name: nameAttachment(attachment, index),
  }))
}

export function warnOfAttachments(attachments: readonly Attachment[], areFiles: boolean): Warning[] {
  const sealed = SEALED.filter(([type]) => attachments.some(({ contentType }) => type.test(contentType)))
  const left = attachments.length - MAX_FILES
  return [
    ...sealed.map(([, code, message]) => ({ code, message })),
    ...(areFiles && left > 0
      ? [
          {
            code: 'ATTACHMENTS_LEFT_OUT',
            message: `The first ${MAX_FILES} attachments are files; ${left} more are only listed.`,
          },
        ]
      : []),
  ]
}

/** A name without a path, which a sender could choose to overwrite other files. */
function nameAttachment({ name = '', contentType }: Attachment, index: number): string {
  const clean = cleanName(basename(name.replaceAll('\\', '/')))
  return clean === '' || /^\.+$/.test(clean) ? `attachment-${index + 1}.${ENDINGS[contentType] ?? 'bin'}` : clean
}
