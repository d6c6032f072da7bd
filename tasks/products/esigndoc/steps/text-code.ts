import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import { fillText, MAIL_TEXTS } from '../mail-texts.ts'
import { toLanguage } from '../terms.ts'
import type { EnvelopeStepDeps } from '../worker-deps.ts'

/** Text messages are short. */
const MAX_TITLE = 60

export default step({
  summary: 'Send a signer a code as a text message.',
  payload: Type.Object({ recipient: Type.String({ format: 'uuid' }), id: Type.String(), sealed: Type.String() }),
  async run({ recipient, id, sealed }, deps: EnvelopeStepDeps<typeof callers>) {
    const found = await deps.sql.readPhone(recipient)
    if (!found) return
    const { code } = JSON.parse(deps.unseal(sealed, id)) as { code: string }
    const title = [...found.title].slice(0, MAX_TITLE).join('')
    const text = fillText(MAIL_TEXTS[toLanguage(found.language)].code, { title, code })
    const refusal = await deps.sendText(found.phone, { key: id, text }, deps.signal)
    if (refusal !== undefined) await deps.sql.noteDeliveryError(recipient, refusal)
  },
})
