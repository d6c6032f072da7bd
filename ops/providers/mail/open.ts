import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { trace } from '../../tracing/trace.ts'
import type { Mailer } from './contract.ts'
import { openOutbox } from './outbox.ts'
import { openSmtpMailer } from './smtp.ts'

export function openMailer(config: Pick<Config, 'mail' | 'dataDir'>, log: Pick<Logger, 'info'>): Mailer {
  const { smtpUrl, from } = config.mail
  const mailer = smtpUrl ? openSmtpMailer(smtpUrl, from) : openOutbox(join(config.dataDir, 'outbox'), from, log)
  return { ...mailer, send: mail => trace('mail', undefined, () => mailer.send(mail), 'client') }
}
