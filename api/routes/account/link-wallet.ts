import { Type } from 'typebox'
import { toChecksumAddress } from '../../../ops/providers/sign-in/wallet-message.ts'
import { requireUnlimitedKey } from '../../../sql/key.ts'
import { linkWallet } from '../../../sql/wallet.ts'
import { countAttempt } from '../../intake/identity/sign-in-attempts.ts'
import { route } from '../../route.ts'
import { SignedMessage, verifyWallet } from '../auth/schema.ts'

export default route({
  at: 'POST /v1/account/wallets',
  summary:
    'Link a wallet to the account by a signature of the wallet. Credit that the wallet already had moves to the account.',
  keywords: 'connect wallet, add wallet, attach wallet to account, siwe',
  description:
    'Get a message from GET /v1/auth/challenge and send it signed. A wallet cannot be linked if its own account has keys, sign-ins, other wallets or debts. A key with limits cannot link one, because who signs in with the wallet can lift them.',
  auth: ['key', 'wallet'],
  body: SignedMessage,
  reply: { status: 200, schema: Type.Object({ address: Type.String(), movedMicros: Type.String() }) },
  errors: [
    'SIGN_IN_FAILED',
    'WALLET_TAKEN',
    'ACCOUNT_AT_WORK',
    'FORBIDDEN',
    'MISSING_AUTH',
    'ACCOUNT_SUSPENDED',
    'RATE_LIMITED',
  ],
  examples: [
    {
      title: 'Link a wallet',
      input: {
        message:
          'api.example wants you to sign in with your Ethereum account:\n0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
        signature: `0x${'5a'.repeat(65)}`,
      },
    },
  ],
  async handle({ caller, body, request }, context) {
    countAttempt(context, request)
    if (caller.keyHash) await requireUnlimitedKey(context.db, caller.keyHash)
    const wallet = await verifyWallet(context, body)
    const moved = await linkWallet(context.db, wallet, caller.accountId)
    context.payments?.forget()
    return { address: await toChecksumAddress(wallet), movedMicros: moved.toString() }
  },
})
