"""The program in a sandbox's pod, and the gateway that carries DevTools to it. Read
`main`, then `relay`."""
