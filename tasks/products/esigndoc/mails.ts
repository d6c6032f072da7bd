import { Type } from 'typebox'
import { Choice, notification } from '#kit'
import { fillText, MAIL_TEXTS } from './mail-texts.ts'
import { LANGUAGES } from './terms.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])
const Languages = Choice(LANGUAGES)

const EXAMPLE = {
  envelopeId: 'env_019ab3c45d6e7f809a1b2c3d4e5f6071',
  language: 'en',
  name: 'Ida',
  sender: 'Example Homes',
  title: 'Lease of the flat',
  url: 'https://coinop.example/sign/sgn_example',
} as const

const flatten = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')

export const MAILS = {
  'esigndoc.request': notification({
    summary: 'Somebody is asked to sign, approve or read a document, or reminded of it.',
    data: {
      envelopeId: Type.String(),
      language: Languages,
      name: Type.String(),
      sender: Type.String(),
      title: Type.String(),
      role: Choice(['signer', 'witness', 'approver', 'viewer']),
      isReminder: Type.Boolean(),
      subject: NullableText,
      message: NullableText,
      expiresAt: Type.String(),
      url: Type.String(),
    },
    secrets: ['url'],
    example: {
      ...{ ...EXAMPLE, role: 'signer', isReminder: false, subject: null, message: null },
      expiresAt: '2026-12-31 10:00 (Europe/Berlin)',
    },
    subject(data) {
      const texts = MAIL_TEXTS[data.language]
      const own = data.subject === null ? undefined : fillText(data.subject, { ...data, url: '' })
      const line = own ?? fillText(texts.subjects[data.role], { ...data, url: '' })
      return flatten(data.isReminder ? `${texts.reminder}: ${line}` : line)
    },
    text(data) {
      const texts = MAIL_TEXTS[data.language]
      const message = data.message === null ? fillText(texts.asks[data.role], data) : fillText(data.message, data)
      const link = message.includes(data.url) ? '' : `\n\n${data.url}`
      return `${fillText(texts.hello, data)}\n\n${message}${link}\n\n${fillText(texts.until, data)}\n\n${texts.warning}\n`
    },
  }),
  'esigndoc.code': notification({
    summary: 'A signer needs a code that only the owner of the mail address gets.',
    data: { envelopeId: Type.String(), language: Languages, title: Type.String(), code: Type.String() },
    secrets: ['code'],
    example: { envelopeId: EXAMPLE.envelopeId, language: 'en', title: EXAMPLE.title, code: '123456' },
    subject: ({ language, title }) => flatten(fillText(MAIL_TEXTS[language].codeSubject, { title })),
    text: ({ language, title, code }) => `${fillText(MAIL_TEXTS[language].code, { title, code })}\n`,
  }),
  'esigndoc.ended': notification({
    summary: 'An envelope has ended: everybody has signed, somebody has declined, or it was cancelled.',
    data: {
      envelopeId: Type.String(),
      language: Languages,
      name: Type.String(),
      sender: Type.String(),
      title: Type.String(),
      outcome: Choice(['completed', 'rejected', 'cancelled']),
      reason: NullableText,
      url: Type.String(),
    },
    secrets: ['url'],
    example: { ...EXAMPLE, outcome: 'completed', reason: null },
    subject: data => flatten(fillText(MAIL_TEXTS[data.language].endSubjects[data.outcome], { ...data })),
    text(data) {
      const texts = MAIL_TEXTS[data.language]
      const link = data.outcome === 'completed' ? `\n\n${data.url}\n\n${texts.warning}` : ''
      const reason = data.reason === null ? '' : `\n\n${data.reason}`
      return `${fillText(texts.hello, data)}\n\n${fillText(texts.ends[data.outcome], data)}${reason}${link}\n`
    },
  }),
  'esigndoc.owner': notification({
    summary: 'An envelope of yours has ended.',
    data: { envelopeId: Type.String(), title: Type.String(), status: Choice(['completed', 'rejected', 'expired']) },
    example: { envelopeId: EXAMPLE.envelopeId, title: EXAMPLE.title, status: 'completed' },
    subject: ({ title, status }) => flatten(`${status}: ${title}`),
    text: ({ title, status, envelopeId }, { publicUrl }) =>
      `Your envelope "${title}" is ${status}.\n\n${publicUrl}/dashboard/envelopes/${envelopeId}\n`,
  }),
}
