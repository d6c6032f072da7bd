import { Type } from 'typebox'
import { checksummed } from '../../../ops/sign-in/wallet-message.ts'
import { linkWallet } from '../../../sql/wallet.ts'
import { countTry } from '../../intake/attempts.ts'
import { route } from '../../route.ts'
import { provenWallet, SignedMessage } from '../auth/shape.ts'

export default route({
  at: 'POST /v1/account/wallets',
  summary: 'Join a wallet to the account, proven by its signature; what the wallet had prepaid comes along, once.',
  description:
    'Ask GET /v1/auth/challenge for a text and send it signed. A wallet whose own account has keys, sign-ins, other wallets or debts stays where it is.',
  auth: ['key', 'wallet'],
  body: SignedMessage,
  reply: { status: 200, schema: Type.Object({ address: Type.String(), movedMicros: Type.String() }) },
  errors: ['SIGN_IN_FAILED', 'WALLET_TAKEN', 'ACCOUNT_AT_WORK', 'MISSING_AUTH', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED'],
  examples: [
    {
      title: 'Join a wallet',
      input: {
        message:
          'api.example wants you to sign in with your Ethereum account:\n0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
        signature: `0x${'5a'.repeat(65)}`,
      },
    },
  ],
  async handle({ caller, body, request }, floor) {
    countTry(floor, request)
    const wallet = await provenWallet(floor, body)
    const moved = await linkWallet(floor.db, wallet, caller.accountId)
    floor.payments?.forget()
    return { address: await checksummed(wallet), movedMicros: moved.toString() }
  },
})
