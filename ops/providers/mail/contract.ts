interface Mail {
  to: string
  subject: string
  text: string
  /** The address in the text that the reader is to open. */
  link?: string
  /** Such as `<id>@<host>`: a mail that was sent twice shows by it that it is the same. */
  messageId?: string
}

export interface Mailer {
  /** Whether mail leaves this machine; the outbox only stores it. */
  isSending: boolean
  /** Throws MailRefused if the server will never take it. */
  send(mail: Mail): Promise<void>
}

/** The server knows no such recipient, so it is of no use to try again. */
export class MailRefused extends Error {}
