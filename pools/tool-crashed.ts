/** An engine ended while it worked for a job: by a signal, with its process or with its thread. A retry may succeed. */
export class ToolCrashed extends Error {
  readonly tool: string

  constructor(tool: string, detail: string) {
    super(`${tool} crashed: ${detail}`)
    this.name = 'ToolCrashed'
    this.tool = tool
  }
}

/** An engine was killed from outside, closed with its pool or not started in time, so the job is not to blame. */
export class ToolLost extends ToolCrashed {}

/** A run called a tool that only some calls need and that is not here. */
export class ToolMissing extends Error {
  readonly tool: string

  constructor(tool: string) {
    super(`${tool} is missing`)
    this.name = 'ToolMissing'
    this.tool = tool
  }
}

/** SIGKILL comes from outside: from the kernel that has no memory left, or from an operator. */
const KILLED = /^(SIGKILL|exit code 137)\b/

/** Returns the error for an engine whose process ended as `detail` says. */
export function describeEnd(tool: string, detail: string): ToolCrashed {
  return KILLED.test(detail) ? new ToolLost(tool, detail) : new ToolCrashed(tool, detail)
}
