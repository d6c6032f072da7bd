import { Problem } from '#kit'
import type { Proofreader, ProofreadingRequest } from '../../../ops/providers/proofreading/contract.ts'
import type { HostContext } from '../../host-context.ts'

/** The proofreading service that the operator configured. */
export function bind(context: HostContext) {
  return { check: (request: ProofreadingRequest) => requireProofreader(context.proofreader).check(request, context) }
}

/** The tool is there where a service is configured. */
export async function version({ proofreader }: HostContext): Promise<string> {
  return requireProofreader(proofreader).provider
}

function requireProofreader(proofreader: Proofreader | undefined): Proofreader {
  if (!proofreader)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'proofreading', adapters: ['languagetool'] })
  return proofreader
}
