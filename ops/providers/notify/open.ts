import type { Notifiers, Post } from './contract.ts'
import type { NotifyConfig } from './settings.ts'
import { openSlack } from './slack.ts'
import { openTelegram } from './telegram.ts'
import { openTwilio } from './twilio.ts'
import { openWebhook } from './webhook.ts'

export function openNotifiers({ slack, telegram, sms }: NotifyConfig, post: Post): Notifiers {
  return {
    webhook: openWebhook(post),
    slack: openSlack(slack, post),
    ...(telegram && { telegram: openTelegram(telegram) }),
    ...(sms && { sms: openTwilio(sms) }),
  }
}
