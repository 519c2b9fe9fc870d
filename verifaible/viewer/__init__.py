"""The viewer: pages over a store, its runs, judged answers, graphs and conversations, with JSON under each."""
