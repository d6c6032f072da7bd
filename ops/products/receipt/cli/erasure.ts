import { parseId, toJson } from '../../../cli/print.ts'
import { type Runs, UsageError } from '../../../cli/verb.ts'
import { certify } from '../erasure-certificate.ts'

export const runs: Runs = {
  async certificate(context, [account]) {
    const certificate = await certify(context, parseId('an account', account))
    if (!certificate) throw new UsageError(`Nothing was erased of the account ${account}.`)
    return { data: certificate, text: toJson(certificate) }
  },
}
