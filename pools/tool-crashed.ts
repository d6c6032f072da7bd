/** An engine ended while it worked for a job: by a signal, with its process or with its thread. A retry may succeed. */
export class ToolCrashed extends Error {
  readonly tool: string

  constructor(tool: string, detail: string) {
    super(`${tool} crashed: ${detail}`)
    this.name = 'ToolCrashed'
    this.tool = tool
  }
}
