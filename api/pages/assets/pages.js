// Adds copy buttons; every page works without them.
for (const button of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break
  button.hidden = false
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => {
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
  })
}
