import { readFile } from 'node:fs/promises'
import type { AnswerSink } from './sink.ts'

/** Sends a program that callers run themselves: a file of JavaScript for Node. */
export async function sendProgram(reply: AnswerSink, file: URL): Promise<void> {
  const program = await readFile(file)
  reply
    .headers({
      'content-type': 'text/javascript; charset=utf-8',
      'content-disposition': 'attachment; filename="verify.mjs"',
      'cache-control': 'public, max-age=300',
    })
    .send(program)
}
