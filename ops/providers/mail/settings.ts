import { declareSettings } from '../../variables/declaration.ts'
import { OptionalText, Text } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    mail: MailConfig
  }
}

/** Without an SMTP server, mail is written to the log and to the outbox in the data folder. */
interface MailConfig {
  smtpUrl?: string
  from: string
}

const variables = {
  SMTP_URL: OptionalText({
    isSecret: true,
    displayDefault: 'log and DATA_DIR/outbox',
    expects: 'a smtp:// or smtps:// address',
    pattern: '^smtps?://',
    description: 'Mail server that sends the sign-in links and the notifications.',
  }),
  MAIL_FROM: Text({ default: 'coinop <no-reply@localhost>', description: 'Sender of that mail.' }),
}

export default declareSettings({
  title: 'Mail',
  variables,
  read: values => ({ mail: { smtpUrl: values.SMTP_URL, from: values.MAIL_FROM } }),
})
