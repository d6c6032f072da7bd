import { Problem } from '#kit'
import type { HostContext } from '../../../host-context.ts'
import { type EngineCall, saveOutput } from '../engine-call.ts'
import type { SignPlan } from './sign.ts'

type VerifyPlan = Parameters<typeof import('../engine.ts').verifySignatures>[1]

/** Signs documents and checks signatures; only timestamps come from elsewhere than the child process. */
export function bindSignatures(context: HostContext, call: EngineCall) {
  return {
    /** Checks all signatures of a file as it was uploaded; `readable` is the same document without damage. */
    verifySignatures: (path: string, readable: string, trust: readonly string[], plan: VerifyPlan) =>
      call('verifySignatures', [path, readable, ...trust], plan),
    /** Signs with a PKCS#12 file, or with a key and the file of its certificate. */
    async signDocument(path: string, keyFile: string, { to, ...plan }: SignPlan & { to: string }) {
      if (plan.isTimestamped && !context.timestamps)
        throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'timestamp', set: 'TIMESTAMP_URL' })
      const { signer, signatureDigest, ...output } = await call('signDocument', [path, keyFile], plan)
      const signed = await saveOutput(output, to)
      if (!plan.isTimestamped) return { path: signed, signer }
      const token = await context.timestamps!.stamp(signatureDigest, context.signal)
      const stamped = await call('completeSignature', [signed], { token })
      return { path: await saveOutput(stamped, context.out('stamped.pdf')), signer }
    },
  }
}
