import { type Mailer, MailRefused } from './contract.ts'

/** Shorter than the steps that send mail may take, so that no attempt goes on when the next one begins. */
const LIMITS_MS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 25_000 }

/** Sends mail by SMTP. nodemailer is loaded with the first mail, so that who sends none does not pay for it. */
export function openSmtpMailer(url: string, from: string): Mailer {
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ url, ...LIMITS_MS, disableFileAccess: true, disableUrlAccess: true })
  }
  let opening: ReturnType<typeof open> | undefined
  return {
    isSending: true,
    send: async ({ to, subject, text, messageId }) => {
      opening ??= open()
      const transport = await opening
      await transport
        .sendMail({ from, to, subject, text, ...(messageId !== undefined && { messageId: `<${messageId}>` }) })
        .catch((error: unknown) => Promise.reject(isRefusal(error) ? new MailRefused(error.message) : error))
    },
  }
}

/** Any other failure may be over at the next attempt, also one of the sender's address or password. */
function isRefusal(error: unknown): error is Error {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number }
  return error instanceof Error && command === 'RCPT TO' && responseCode >= 500
}
