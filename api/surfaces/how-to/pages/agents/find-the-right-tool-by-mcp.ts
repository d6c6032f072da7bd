import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Give an agent all tools by MCP',
  lead: 'Connect once. The agent finds what it needs in its own words and calls it by name; it never has to read the list of all tools.',
  keywords: 'mcp, model context protocol, agent, tools, connect, claude, search tools',
  steps: [{ call: 'system.search', input: { q: 'stamp page numbers on a pdf', limit: 2 } }],
  pitfalls: [
    'The address is `/mcp`, by streamable HTTP. Clients that can sign in need no key: they open a page where you allow them.',
    'The list of tools has the most useful ones. All others are found by `search_tools` and called by their names, or through `call_tool` where a client calls only what it was shown.',
    'Limit what an agent may spend: a key has a limit for each call and for each day.',
    'Files go both ways by reference: `inputKey` in, links out. Do not let a model copy base64.',
  ],
})
