interface Mail {
  to: string
  subject: string
  text: string
  /** The address in the text that the reader is to open. */
  link?: string
}

export interface Mailer {
  /** Whether mail leaves this machine; the outbox only stores it. */
  isSending: boolean
  send(mail: Mail): Promise<void>
}
