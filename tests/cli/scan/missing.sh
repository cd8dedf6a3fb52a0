tenon scan nothing.pt
