import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Pay for a call without an account',
  lead: 'By x402 a program pays each call from its own wallet. There is no registration: the wallet is the account.',
  keywords: 'x402, wallet, usdc, crypto, no account, pay per call, 402, agent payments',
  payer: 'wallet',
  steps: [
    {
      call: 'utils.hash',
      note: 'Without a payment the answer is 402, with what to pay and where.',
      input: { text: 'hello' },
    },
  ],
  pitfalls: [
    'WALLET holds a private key. Use a wallet that has only what the program may spend.',
    'The clients sign no payment above 1 USD unless you allow more with `maxPaymentUsd`.',
    'Small calls are paid in steps of a cent: what is left stays as credit of the wallet for its next calls.',
    'Only USDC and EURC on the network that the offer names are taken.',
  ],
})
