import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import type { readFile } from '../../../sql/ask/replies.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

/** Files come from strangers: a browser must neither show nor run them. */
export function sendFile(reply: AnswerSink, file: Awaited<ReturnType<typeof readFile>>): void {
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
