import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Sign a contract and verify it without the service',
  lead: 'Parties sign by a wallet or an account. Every act is in a log of hashes, and the bundle has all that is needed to check it offline.',
  keywords: 'contract, agreement, verify a contract, sign, eip-712, arbitration, agent contract',
  steps: [
    { call: 'account.profile', note: 'The seller is this account.', input: {}, as: 'account' },
    {
      call: 'contracts.create-contract',
      note: 'The terms and who signs.',
      input: {
        title: 'Delivery of a data set',
        terms: 'The seller delivers 10,000 rows until 2026-12-31. The buyer pays 5 USDC.',
        parties: [
          { key: 'seller', method: 'account', customerId: answerField('account', 'id') },
          { key: 'buyer', method: 'account', email: 'buyer@example.com' },
        ],
      },
      as: 'contract',
    },
    {
      call: 'contracts.sign',
      note: 'Each party signs what it has read: termsHash says that.',
      input: {
        contract: answerField('contract', 'id'),
        partyKey: 'seller',
        termsHash: answerField('contract', 'termsHash'),
        accept: true,
      },
    },
    {
      call: 'contracts.read-bundle',
      note: 'Save it. `node verify.mjs bundle.json` checks it, with the program of GET /v1/contracts/verifier.',
      input: { contract: answerField('contract', 'id') },
    },
  ],
  pitfalls: [
    'Terms never change. A new contract supersedes an old one with `supersedes`.',
    'Every other party has a link of its own in `partyUrls`. Send each only to that party.',
    'The bundle proves what was signed and when. Whether a court accepts it depends on the law of the parties.',
    'The verifier needs Node and no network. Keep it together with the bundle.',
  ],
})
