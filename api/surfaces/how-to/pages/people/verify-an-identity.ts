import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Verify the identity of a person',
  lead: 'The person photographs a passport or an identity card on a page. Machine-readable zones, barcodes and dates are checked, and each check is listed.',
  keywords: 'kyc, identity, passport, id card, age check, verification',
  steps: [
    {
      call: 'idverify.create-verification',
      note: 'hostedUrl is the page for the person.',
      input: { type: 'document', minAge: 18, subject: { lastName: 'Eriksson' }, referenceId: 'customer-7' },
      as: 'verification',
    },
    {
      call: 'idverify.read-status',
      note: 'Ask again, or register a webhook.',
      input: { id: answerField('verification', 'id') },
    },
  ],
  pitfalls: [
    'The machine here declines what is clearly wrong. That a document is genuine is decided by a provider, where the operator has one, or by a person: `manual_review`.',
    'Never opened, it gives back 80 % of its price when it expires.',
    'Images and personal data are removed after `retentionDays`; `redact-verification` does it at once and keeps the decision.',
    'A name is compared across scripts and spellings. Give the subject as it is in the document.',
  ],
})
