import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Have a document signed',
  lead: 'Send a PDF to people who sign it on a page. When all have signed, it is sealed with a certificate page that says who did what and when.',
  keywords: 'e-signature, esign, docusign, sign pdf, envelope, contract, signature',
  steps: [
    {
      call: 'esigndoc.create-envelope',
      note: 'Who signs where. signingUrl of each recipient is their page.',
      input: {
        file: 'sample:letter.pdf',
        title: 'Lease of the flat',
        delivery: 'link',
        recipients: [{ name: 'Ida Brandt' }],
        fields: [{ type: 'signature', page: 1, x: 10, y: 80 }],
      },
      as: 'envelope',
    },
    { call: 'esigndoc.read-status', note: 'How far is it?', input: { id: answerField('envelope', 'id') } },
  ],
  pitfalls: [
    'Places are in per cent of the page from its top left corner. `autoPlaceSignature` finds labels such as "Signature:" instead.',
    'Cancelled before anybody opened it, all is paid back; expired unopened, half.',
    'A document that is signed digitally already is refused with `PDF_ALREADY_SIGNED`.',
    'Which kind of signature a contract needs is a question of law. This is an advanced signature at most, not a qualified one.',
  ],
})
