import { type Micros, usd } from '#kit'

const BASE = usd('0.3')
const EACH_RECIPIENT = usd('0.02')
const EACH_TEN_PAGES = usd('0.005')
const EACH_TEXT_MESSAGE = usd('0.05')
const RECIPIENTS = 5
const PAGES = 50

interface Priced {
  recipients: readonly { verification: string }[]
  pages: number
}

export function priceEnvelope({ recipients, pages }: Priced): Micros {
  const moreRecipients = BigInt(Math.max(0, recipients.length - RECIPIENTS))
  const morePages = BigInt(Math.ceil(Math.max(0, pages - PAGES) / 10))
  const texted = BigInt(recipients.filter(({ verification }) => verification === 'sms_otp').length)
  return BASE + moreRecipients * EACH_RECIPIENT + morePages * EACH_TEN_PAGES + texted * EACH_TEXT_MESSAGE
}
