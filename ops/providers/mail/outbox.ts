import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../log.ts'
import type { Mailer } from './contract.ts'

/**
 * The default without a mail server: each mail becomes a log line and a file in the outbox folder. A link is also written as a
 * plain line, because inside JSON it can neither be clicked nor selected.
 */
export function openOutbox(
  folder: string,
  from: string,
  log: Pick<Logger, 'info'>,
  writeLine: (line: string) => void = line => process.stdout.write(`${line}\n`),
): Mailer {
  return {
    isSending: false,
    send: async ({ messageId, ...mail }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const createdAt = new Date().toISOString()
      const name = `${createdAt.replaceAll(':', '')}-${randomUUID().slice(0, 8)}.json`
      await writeFile(join(folder, name), `${JSON.stringify({ from, ...mail, createdAt }, null, 2)}\n`, { mode: 0o600 })
      log.info({ to: mail.to, subject: mail.subject, outbox: name }, 'mail stored in the outbox')
      if (mail.link) writeLine(mail.link)
    },
  }
}
