interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Whether mail leaves this machine; the outbox only stores it. */
  isSending: boolean
  send(mail: Mail): Promise<void>
}
