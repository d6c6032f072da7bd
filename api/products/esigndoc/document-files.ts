import { Problem } from '#kit'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import type { DocumentsView } from '../../../sql/esigndoc/envelopes.ts'
import type { ApiContext } from '../../context.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

export const VERSIONS = ['original', 'current', 'signed', 'certificate'] as const

interface FoundDocument {
  key: string
  name: string
  sizeBytes: number
  sha256: string
}

/** One document of an envelope. `current` is what is signed, or the sealed document once there is one. Throws NOT_COMPLETED. */
export function findDocument(
  { status, files, outputs }: DocumentsView,
  version: (typeof VERSIONS)[number],
  index = 0,
): FoundDocument {
  const signed = outputs.filter(({ kind }) => kind === 'signed')
  if (version === 'signed' || version === 'certificate' || (version === 'current' && signed.length > 0)) {
    const kind = version === 'certificate' ? 'certificate' : 'signed'
    const found = outputs.filter(one => one.kind === kind)[index]
    if (status !== 'completed') throw new Problem('NOT_COMPLETED', { status })
    if (!found) throw new Problem('NOT_FOUND', { version, index })
    return found
  }
  const file = files[index]
  if (!file) throw new Problem('NOT_FOUND', { version, index })
  const { key, sizeBytes, sha256 } = version === 'original' ? file.original : file.content
  return { key, sizeBytes, sha256, name: file.name }
}

/** A document of somebody: a browser must neither keep nor run it. */
export async function openDocument(
  { store }: Pick<ApiContext, 'store'>,
  { key, name, sizeBytes, sha256 }: FoundDocument,
) {
  const named = name.replace(/\.(docx?|odt|rtf|xlsx?|pptx?|ods|odp)$/i, '.pdf')
  const headers = {
    'content-type': 'application/pdf',
    'content-length': String(sizeBytes),
    'content-disposition': contentDisposition(/\.pdf$/i.test(named) ? named : `${named}.pdf`),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    etag: `"${sha256}"`,
  }
  return { headers, body: await store.read(key) }
}

export async function sendDocument(
  context: Pick<ApiContext, 'store'>,
  reply: AnswerSink,
  found: FoundDocument,
): Promise<void> {
  const { headers, body } = await openDocument(context, found)
  reply.headers(headers).send(body)
}
