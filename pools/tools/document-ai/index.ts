import type { HostedTask } from '../../../tasks/formats/document/hosted.ts'
import type { HostContext } from '../../host-context.ts'

// Decision 0159: let providers read documents in the remote lane.

const load = () => import('./tool.ts')

/** Reading a page, which providers do instead of our own engines where the operator chose one, is a tool for each task. */
function entry(task: HostedTask) {
  const describe = async (context: HostContext) => (await load()).describeEngine(context, task)
  return {
    from: { version: async (context: HostContext) => (await describe(context)).provider },
    servedBy: describe,
    install: 'npm install',
  }
}

export const DOCUMENT_TOOLS = {
  hostedText: { load: async () => (await load()).text, ...entry('ocr-layout') },
  hostedTables: { load: async () => (await load()).tables, ...entry('extract-tables') },
  hostedFields: { load: async () => (await load()).fields, ...entry('extract-form') },
  hostedInvoice: { load: async () => (await load()).invoice, ...entry('parse-invoice') },
  hostedIdentity: { load: async () => (await load()).identity, ...entry('parse-id') },
} as const
