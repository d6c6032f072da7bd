import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Whether mail leaves this machine; otherwise whoever reads the log reads it. */
  isSending: boolean
  send(mail: Mail): Promise<void>
}

/** By SMTP where a server is configured; else each mail is a line of the log and a file in the outbox. */
export function openMailer(config: Pick<Config, 'mail' | 'dataDir'>, log: Pick<Logger, 'info'>): Mailer {
  const { smtpUrl, from } = config.mail
  return smtpUrl ? smtpMailer(smtpUrl, from) : outboxMailer(join(config.dataDir, 'outbox'), from, log)
}

function smtpMailer(url: string, from: string): Mailer {
  const opening = import('nodemailer').then(({ createTransport }) =>
    createTransport(url, { disableFileAccess: true, disableUrlAccess: true }),
  )
  return {
    isSending: true,
    send: async mail => {
      const transport = await opening
      await transport.sendMail({ from, ...mail })
    },
  }
}

function outboxMailer(folder: string, from: string, log: Pick<Logger, 'info'>): Mailer {
  return {
    isSending: false,
    send: async mail => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const createdAt = new Date().toISOString()
      const name = `${createdAt.replaceAll(':', '')}-${randomUUID().slice(0, 8)}.json`
      await writeFile(join(folder, name), `${JSON.stringify({ from, ...mail, createdAt }, null, 2)}\n`, { mode: 0o600 })
      log.info({ to: mail.to, subject: mail.subject, text: mail.text, outbox: name }, 'mail, kept in the outbox')
    },
  }
}
