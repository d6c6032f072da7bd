import { Type } from 'typebox'
import { defineCapability } from '../../product-capabilities.ts'

export default [
  defineCapability({
    name: 'notify',
    schema: Type.Record(
      Type.String(),
      Type.Object({ available: Type.Boolean(), set: Type.Optional(Type.String()) }),
      { description: 'By what people can be asked and told, besides links.' },
    ),
    describe({ config: { notify }, mail }) {
      const describe = (isConfigured: boolean, set: string) =>
        isConfigured ? { available: true } : { available: false, set }
      return {
        email: describe(mail.isSending, 'SMTP_URL'),
        slack: describe(notify.slack !== undefined, 'SLACK_BOT_TOKEN, or give the address of an incoming webhook'),
        telegram: describe(notify.telegram !== undefined, 'TELEGRAM_BOT_TOKEN'),
        sms: describe(notify.sms !== undefined, 'TWILIO_ACCOUNT'),
        webhook: { available: true },
      }
    },
  }),
]
