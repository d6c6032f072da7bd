import type { Mailer } from './contract.ts'

/** Sends mail by SMTP. nodemailer is loaded here, so that an installation without a mail server does not pay for it. */
export function openSmtpMailer(url: string, from: string): Mailer {
  const connecting = import('nodemailer').then(({ createTransport }) =>
    createTransport(url, { disableFileAccess: true, disableUrlAccess: true }),
  )
  return {
    isSending: true,
    send: async ({ to, subject, text }) => {
      const transport = await connecting
      await transport.sendMail({ from, to, subject, text })
    },
  }
}
