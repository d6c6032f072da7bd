import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Prove that a text existed and was not changed',
  lead: 'A ledger links its entries by hashes. A witness freezes it and signs the hash with a time. Anyone can check that later, also without this service.',
  keywords: 'witness, timestamp, proof, tamper, hash chain, ledger, notary, audit, baton',
  steps: [
    {
      call: 'storage.ledger',
      note: 'A log for a day, paid for at once.',
      input: { tier: 'femto', content: 'The rent is 900 a month.' },
      as: 'ledger',
    },
    {
      call: 'baton.document-witness',
      note: 'Freeze it and sign its hash.',
      input: { id: answerField('ledger', 'id') },
      as: 'witness',
    },
    {
      call: 'baton.challenge',
      note: 'Later, and without a key: is this the text?',
      isAnonymous: true,
      input: { id: answerField('ledger', 'id'), content: 'The rent is 900 a month.' },
    },
  ],
  pitfalls: [
    'Nothing can be written after the witness. A second one is `ALREADY_WITNESSED`.',
    'The signed record is kept for 7 years, also after the content is gone. The content itself lives as long as its tier says.',
    'A witness proves when a text existed and that it is unchanged. It does not prove who wrote it.',
    'Check offline with `verifyWitness` of the clients and the keys at `/.well-known/jwks.json`; keep a copy of both.',
  ],
})
