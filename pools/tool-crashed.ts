/** An engine died under a job: a signal, a lost child, a thread that ended. Another try may well succeed. */
export class ToolCrashed extends Error {
  readonly tool: string

  constructor(tool: string, detail: string) {
    super(`${tool} crashed: ${detail}`)
    this.name = 'ToolCrashed'
    this.tool = tool
  }
}
