import type { Static, TObject } from 'typebox'
import { declareSettings, readPair } from '../../variables/declaration.ts'
import { OptionalText, OptionalUrl, Url } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    notify: NotifyConfig
  }
}

/** By which people are asked besides mail and links. */
export interface NotifyConfig {
  slack?: { token: string; url: string }
  telegram?: { token: string; url: string }
  sms?: { account: string; token: string; from: string; url: string }
}

const variables = {
  SLACK_BOT_TOKEN: OptionalText({
    isSecret: true,
    displayDefault: 'only addresses of incoming webhooks',
    description:
      'Token of a Slack bot that may write messages, `xoxb-...`; asks then reach channels and users by name.',
  }),
  SLACK_URL: Url({ default: 'https://slack.com/api', description: 'Address of the interface of Slack.' }),
  TELEGRAM_BOT_TOKEN: OptionalText({
    isSecret: true,
    displayDefault: 'no Telegram',
    description: 'Token of a Telegram bot; asks then reach chats by their ids.',
  }),
  TELEGRAM_URL: Url({ default: 'https://api.telegram.org', description: 'Address of the interface of Telegram.' }),
  TWILIO_ACCOUNT: OptionalText({
    displayDefault: 'no SMS',
    description: 'Account at Twilio that sends asks by SMS. Its costs are not passed on to callers.',
  }),
  TWILIO_TOKEN: OptionalText({ isSecret: true, displayDefault: 'none', description: 'Token of that account.' }),
  TWILIO_FROM: OptionalText({ displayDefault: 'none', description: 'Number or name that SMS come from.' }),
  TWILIO_URL: OptionalUrl({
    displayDefault: "Twilio's own",
    description: 'Address of the interface of Twilio, or of a server that speaks it.',
  }),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Notifications of people',
  variables,
  read: values => ({ notify: readNotifyConfig(values) }),
})

const TWILIO_URL = 'https://api.twilio.com'

function readNotifyConfig(values: Values): NotifyConfig {
  const { SLACK_BOT_TOKEN: slack, TELEGRAM_BOT_TOKEN: telegram } = values
  const [account, token] = readPair(values, 'TWILIO_ACCOUNT', 'TWILIO_TOKEN')
  const [, from] = readPair(values, 'TWILIO_ACCOUNT', 'TWILIO_FROM')
  return {
    ...(slack && { slack: { token: slack, url: values.SLACK_URL } }),
    ...(telegram && { telegram: { token: telegram, url: values.TELEGRAM_URL } }),
    ...(account && token && from && { sms: { account, token, from, url: values.TWILIO_URL ?? TWILIO_URL } }),
  }
}
