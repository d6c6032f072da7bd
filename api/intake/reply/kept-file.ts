import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import type { AnswerSink } from './sink.ts'

export interface KeptFile {
  name: string
  content_type: string
  sha256: string
  content: Buffer
}

/** Files come from strangers: a browser must neither show nor run them. */
export function sendKeptFile(reply: AnswerSink, file: KeptFile): void {
  reply
    .headers({
      'content-type': file.content_type,
      'content-disposition': contentDisposition(file.name),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
      etag: `"${file.sha256}"`,
    })
    .send(file.content)
}
