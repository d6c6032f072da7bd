import { readFile } from 'node:fs/promises'
import type { AnswerSink } from './sink.ts'

/** Sends a program that callers run themselves: JavaScript for Node, in a file or as its text. */
export async function sendProgram(reply: AnswerSink, program: URL | string): Promise<void> {
  const text = typeof program === 'string' ? program : await readFile(program)
  reply
    .headers({
      'content-type': 'text/javascript; charset=utf-8',
      'content-disposition': 'attachment; filename="verify.mjs"',
      'cache-control': 'public, max-age=300',
    })
    .send(text)
}
