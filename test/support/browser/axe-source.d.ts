declare module 'axe-core/axe.min.js' {
  const axe: { source: string }
  export default axe
}
