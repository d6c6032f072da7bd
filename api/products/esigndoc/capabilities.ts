import { Type } from 'typebox'
import { defineCapability } from '../../product-capabilities.ts'

const Method = Type.Object({ available: Type.Boolean(), set: Type.Optional(Type.String()) })

export default [
  defineCapability({
    name: 'signing',
    schema: Type.Object({
      delivery: Type.Object({ email: Method, link: Method }),
      verification: Type.Record(Type.String(), Method, { description: 'How those who sign can prove who they are.' }),
      seal: Type.Object({ level: Type.String(), set: Type.Optional(Type.String()) }),
    }),
    describe({ config, mail, settings }) {
      const describe = (isConfigured: boolean, set: string) =>
        isConfigured ? { available: true } : { available: false, set }
      const hasIdentities = config.identity !== undefined || settings.get('idverify.manual_review_enabled')
      return {
        delivery: { email: describe(mail.isSending, 'SMTP_URL'), link: { available: true } },
        verification: {
          email_otp: describe(mail.isSending, 'SMTP_URL'),
          sms_otp: describe(config.notify.sms !== undefined, 'TWILIO_ACCOUNT'),
          ...{ access_code: { available: true }, wallet: { available: true } },
          idverify: describe(hasIdentities, 'idverify.manual_review_enabled'),
        },
        seal: config.timestampUrl === undefined ? { level: 'B-B', set: 'TIMESTAMP_URL' } : { level: 'B-T' },
      }
    },
  }),
]
